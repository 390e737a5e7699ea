"""Built-in teams: each one class with a decide(view) method."""
