"""BattleScribe data: catalogues and game systems become profiles and army lists, with a report of what does not."""
