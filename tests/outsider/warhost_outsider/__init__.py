"""A lane to fight on: an example of what somebody else can add to Warhost."""
