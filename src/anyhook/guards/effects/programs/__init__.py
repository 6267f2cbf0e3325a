"""What programs do, one row for each program or subcommand. A newcomer adds a row here and an example to the tests."""
