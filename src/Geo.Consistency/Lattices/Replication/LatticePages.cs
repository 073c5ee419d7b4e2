namespace Geo.Consistency.Lattices;

/// <summary>Writes what answers replicas that ask for what they lack, page by page.</summary>
internal sealed class LatticePages(LatticeData data, LatticeDomain domain)
{
    /// <summary>Writes one page.</summary>
    internal LatticeWriter Answer(LatticePull pull)
    {
        // Who has not seen what was forgotten here cannot be told cell by cell: it gets all, and drops the rest.
        var isSnapshot = !pull.Applied.Covers(data.Collected);
        var body = new LatticeWriter();
        var cells = body.Part();
        var writer = new CellWriter(cells, data.PutAsideOwn);
        var next = Write(pull, isSnapshot, writer);
        var tellsHoles = domain == LatticeDomain.Ordered && !LatticeRules.IsOff(LatticeRule.PagesTellHoles);
        if (tellsHoles && next == LatticePlace.End)
        {
            foreach (var (grain, missing) in data.Holes.Missing.Where(m => !pull.Applied.Covers(m.Missing)))
            {
                writer.WriteLacking(grain, missing);
            }
        }

        new LatticePageHead(
            pull.Number, pull.From, next, tellsHoles ? data.Applied : data.Vouched, data.Collected, isSnapshot,
            tellsHoles && data.Holes.LacksAny ? data.Beyond : VectorClock.Bottom).Write(body);
        body.Append(cells);
        return body;
    }

    /// <summary>Writes as many cells as a page holds, from a place on.</summary>
    /// <returns>The place behind them.</returns>
    private LatticePlace Write(LatticePull pull, bool isSnapshot, CellWriter to)
    {
        for (var bucket = pull.From.Bucket; bucket < LatticeCells.Buckets; bucket++)
        {
            var lacking = data.Cells.In(bucket).Where(c => isSnapshot || !c.IsCoveredBy(pull.Applied, data.Id))
                .Select(c => (Cell: c, Name: c.Key.ToString()))
                .Where(c => bucket > pull.From.Bucket || string.CompareOrdinal(c.Name, pull.From.After) > 0)
                .OrderBy(c => c.Name, StringComparer.Ordinal);
            foreach (var (cell, name) in lacking)
            {
                if (!isSnapshot && cell.IsCoveredButForOwn(pull.Applied, data.Id, data.Trimmed))
                {
                    to.WriteDelta(cell, data.Id, pull.Applied[data.Id]);
                }
                else
                {
                    to.WriteState(cell, data.Id);
                }

                if (to.Length >= data.Options.MaxFrameBytes)
                {
                    return new(bucket, name);
                }
            }
        }

        return LatticePlace.End;
    }
}
