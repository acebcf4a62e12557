"""From jaxprs to operations of the pallas dialect."""
