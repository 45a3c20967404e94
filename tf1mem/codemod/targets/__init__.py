"""What each target makes of the facts."""
