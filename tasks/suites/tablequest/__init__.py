"""TableQuest: questions on tables of filings, judged in pairs and rated."""
