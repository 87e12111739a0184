"""The canonical layout of rules files: `warhost fmt`."""
