namespace Geo.Testing;

/// <summary>
/// The calls and returns of the operations that have no place in the order yet, as a list in the order of time from which an operation is
/// taken and put back in constant time. Operations that never returned are not in it.
/// </summary>
internal sealed class PendingEvents
{
    public const int Head = 0;

    private readonly int[] _next;
    private readonly int[] _previous;
    private readonly int[] _operations;
    private readonly int[] _calls;
    private readonly int[] _returns;
    private readonly int[] _slots;

    /// <param name="operations">When each was called and returned, in the order of the calls.</param>
    public PendingEvents(IReadOnlyList<(long CalledAt, long ReturnedAt)> operations)
    {
        var count = operations.Count;
        (_calls, _returns, _slots) = (new int[count], new int[count], new int[count]);
        End = (2 * count) + 1;
        (_next, _previous, _operations) = (new int[End + 1], new int[End + 1], new int[End + 1]);
        var ends = new long[count];
        var byEnd = new int[count];
        for (var i = 0; i < count; i++)
        {
            (ends[i], byEnd[i]) = (operations[i].ReturnedAt, i);
        }

        Array.Sort(ends, byEnd);
        var free = new Stack<int>();
        for (int place = 1, called = 0, returned = 0; place < End; place++)
        {
            if (called < count && operations[called].CalledAt < ends[returned])
            {
                _operations[place] = called;
                _calls[called] = place;
                _slots[called] = free.TryPop(out var slot) ? slot : Slots++;
                called++;
            }
            else
            {
                var operation = byEnd[returned++];
                _operations[place] = ~operation;
                _returns[operation] = place;
                free.Push(_slots[operation]);
            }
        }

        _operations[End] = ~count;
        for (var place = 0; place < End; place++)
        {
            (_next[place], _previous[place + 1]) = (place + 1, place);
        }
    }

    /// <summary>Behind the last event.</summary>
    public int End { get; }

    /// <summary>How many operations overlap at most.</summary>
    public int Slots { get; }

    /// <summary>True when every operation has its place.</summary>
    public bool IsEmpty => _next[Head] == End;

    public int After(int place) => _next[place];

    public int Before(int place) => _previous[place];

    /// <summary>The operation that is called at a place; false where one returns.</summary>
    public bool TryCall(int place, out int operation) => (operation = _operations[place]) >= 0;

    public int ReturnOf(int operation) => _returns[operation];

    /// <summary>A number that no other operation has between the call and the return of this one.</summary>
    public int SlotOf(int operation) => _slots[operation];

    /// <summary>The operation that returns at a place.</summary>
    public int ReturnedAt(int place) => ~_operations[place];

    public void Take(int operation)
    {
        Unlink(_calls[operation]);
        Unlink(_returns[operation]);
    }

    public void PutBack(int operation)
    {
        Link(_returns[operation]);
        Link(_calls[operation]);
    }

    /// <summary>
    /// Forgets that the operations which return within a range have their place: behind it that goes without saying, and others use their
    /// slots.
    /// </summary>
    public void Pass(int from, int to, BitWords placed)
    {
        for (var place = from; place < to; place++)
        {
            if (_operations[place] < 0)
            {
                placed[_slots[~_operations[place]]] = false;
            }
        }
    }

    private void Unlink(int place) => (_next[_previous[place]], _previous[_next[place]]) = (_next[place], _previous[place]);

    private void Link(int place) => (_next[_previous[place]], _previous[_next[place]]) = (place, place);
}
