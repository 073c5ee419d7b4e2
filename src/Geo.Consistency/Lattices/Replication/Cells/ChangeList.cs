namespace Geo.Consistency.Lattices;

/// <summary>Cells in the order of the last updates made to them here, so that those since any number are found without a search.</summary>
internal sealed class ChangeList
{
    private LatticeCell? _oldest;

    /// <summary>The cell that was updated last.</summary>
    internal LatticeCell? Newest { get; private set; }

    /// <summary>Makes a cell the newest.</summary>
    internal void Touch(LatticeCell cell)
    {
        if (cell == Newest)
        {
            return;
        }

        Remove(cell);
        (cell.Older, cell.IsListed) = (Newest, true);
        if (Newest is null)
        {
            _oldest = cell;
        }
        else
        {
            Newest.Newer = cell;
        }

        Newest = cell;
    }

    /// <summary>The cells that were updated after a number, the newest first.</summary>
    internal IEnumerable<LatticeCell> Since(long number)
    {
        for (var cell = Newest; cell is not null && cell.Own > number; cell = cell.Older)
        {
            yield return cell;
        }
    }

    /// <summary>Takes out the cells whose last update all others have, and lets go of what they keep.</summary>
    internal void Trim(long through)
    {
        while (_oldest is { } cell && cell.Own <= through)
        {
            cell.Trim(through);
            Remove(cell);
        }
    }

    internal void Remove(LatticeCell cell)
    {
        if (!cell.IsListed)
        {
            return;
        }

        var (older, newer) = (cell.Older, cell.Newer);
        (Newest, _oldest) = (cell == Newest ? older : Newest, cell == _oldest ? newer : _oldest);
        if (older is not null)
        {
            older.Newer = newer;
        }

        if (newer is not null)
        {
            newer.Older = older;
        }

        (cell.Older, cell.Newer, cell.IsListed) = (null, null, false);
    }
}
