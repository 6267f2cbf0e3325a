"""Which values a client accepts in the settings of the file that also has its hooks: one module of data per client."""
