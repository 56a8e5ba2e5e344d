"""sqlglot: parses, optimises and writes queries in several dialects."""
import sys

import sqlglot
from sqlglot.optimizer import optimize

QUERY = """WITH recent AS (SELECT o.id, o.customer_id, SUM(i.price * i.quantity) AS total, COUNT(*) AS n FROM orders AS o
JOIN items AS i ON o.id = i.order_id WHERE o.created > DATE '2024-01-01' AND i.price BETWEEN 1 AND 100 GROUP BY 1, 2)
SELECT c.name, r.total, RANK() OVER (PARTITION BY c.region ORDER BY r.total DESC) AS place, CASE WHEN r.n > 10 THEN 'many'
WHEN r.n > 3 THEN 'some' ELSE 'few' END AS size FROM customers AS c LEFT JOIN recent AS r ON r.customer_id = c.id
WHERE c.region IN ('north', 'south') AND NOT c.closed ORDER BY place, c.name LIMIT 100"""
SCHEMA = {"orders": {"id": "INT", "customer_id": "INT", "created": "DATE"},
          "items": {"order_id": "INT", "price": "DOUBLE", "quantity": "INT"},
          "customers": {"id": "INT", "name": "TEXT", "region": "TEXT", "closed": "BOOLEAN"}}
for _ in range(45 * int(sys.argv[1])):
    tree = sqlglot.parse_one(QUERY)
    for dialect in ("duckdb", "snowflake", "spark", "tsql"):
        tree.sql(dialect=dialect, pretty=True)
    optimize(tree, schema=SCHEMA).sql()
