"""The site: from the schemas' data and docs/ to Markdown, and by Zensical to HTML (`make site`)."""
