"""One event of a deployed entry: which packages are asked, whether they may run, and the answer."""
