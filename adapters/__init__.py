"""What each kind of session store looks like, one file a source."""
