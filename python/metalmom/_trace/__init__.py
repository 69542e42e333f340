"""What a trace is read as: a summary in tables, and a page with a timeline."""
