"""Hook tests: cases, runner, expectations, coverage and the matrix."""
