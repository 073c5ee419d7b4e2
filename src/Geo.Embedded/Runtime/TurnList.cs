namespace Geo.Embedded;

/// <summary>Turns in the order they came; any can be taken out at once. Not thread-safe.</summary>
internal struct TurnList
{
    private Turn? _last;

    /// <summary>The oldest.</summary>
    public Turn? First { get; private set; }

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    public void Add(Turn turn)
    {
        turn.Before = _last;
        turn.After = null;
        if (_last is null)
        {
            First = turn;
        }
        else
        {
            _last.After = turn;
        }

        _last = turn;
        Count++;
    }

    public void Remove(Turn turn)
    {
        if (turn.Before is null)
        {
            First = turn.After;
        }
        else
        {
            turn.Before.After = turn.After;
        }

        if (turn.After is null)
        {
            _last = turn.Before;
        }
        else
        {
            turn.After.Before = turn.Before;
        }

        turn.Before = turn.After = null;
        Count--;
    }
}
