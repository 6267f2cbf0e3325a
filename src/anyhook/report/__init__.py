"""Shows any list of problems: as text, and as JSON, SARIF, GitHub's annotations and JUnit's XML."""
