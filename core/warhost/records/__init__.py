"""What is written of battles and played again from it: journals, and views of one side."""
