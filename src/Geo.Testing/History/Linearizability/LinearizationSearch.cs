using System.Runtime.InteropServices;

namespace Geo.Testing;

/// <summary>
/// The search for an order of one object's operations that the model agrees with, depth first, earliest return first. These rules leave
/// out orders without losing the last one that fits:
/// <list type="bullet">
/// <item>what only reads, and gives its result in the state as it is, has its place at once;</item>
/// <item>what overwrites has its place before it must only where an operation behind it may tell the difference; and when it must, it may
/// have come right before an earlier one that overwrote it (it is absorbed);</item>
/// <item>a time-out takes effect only where the operation behind it tells the difference, and of equal ones the earliest does first;</item>
/// <item>a configuration is not visited again (<see cref="ConfigurationMemory{TState}"/>).</item>
/// </list>
/// Orders in which few time-outs take effect before one return are tried first.
/// </summary>
internal sealed class LinearizationSearch<TState, TOperation, TResult>
    where TState : notnull
{
    // A time-out that nothing would notice takes about that much less time than a configuration, and no memory.
    private const int RuledOutPerVisited = 64;

    private readonly PlacedOrder<TState, TOperation, TResult> _order;
    private readonly PendingEvents _events;
    private readonly int _limit;
    private readonly int[] _twins;
    private readonly bool _hasOpenThatMayNotice;
    private readonly Comparison<int> _byReturn;
    private readonly List<(int Operation, int At)> _longest = [];
    private readonly List<SearchBranch> _branches = [];
    private readonly List<int> _candidates = [];
    private readonly List<ulong> _words = [];
    private readonly int _wordsPerBranch;
    private readonly ulong[] _spentWords;
    private ConfigurationMemory<TState> _memory;
    private int _unchanged;
    private int _visited;
    private long _ruledOut;
    private int _allowance;
    private bool _wasCut;

    /// <param name="operations">In the order of their calls.</param>
    /// <param name="model">What the object does.</param>
    /// <param name="limit">How many configurations may be visited.</param>
    public LinearizationSearch(
        IReadOnlyList<HistoryOperation<TOperation, TResult>> operations, SequentialModel<TState, TOperation, TResult> model, int limit)
    {
        (_order, _limit) = (new(operations, model), limit);
        _events = _order.Events;
        _byReturn = (x, y) => _events.ReturnOf(x).CompareTo(_events.ReturnOf(y));
        _wordsPerBranch = 2 * _order.Placed.Words.Length;
        _spentWords = new ulong[_order.Effective.Words.Length + _order.Absorbable.Words.Length];
        _memory = new(_order.Placed.Words.Length, _spentWords.Length);
        _twins = new int[_order.Open];
        var latest = new Dictionary<ValueTuple<TOperation>, int>();
        for (var i = 0; i < _order.Open; i++)
        {
            var operation = new ValueTuple<TOperation>(_order[_order.Closed + i].Operation);
            _twins[i] = latest.TryGetValue(operation, out var twin) ? twin : -1;
            latest[operation] = i;
            _hasOpenThatMayNotice |= !Overwrites(_order.Closed + i);
        }
    }

    /// <summary>The longest order that was found.</summary>
    public IReadOnlyList<HistoryOperation<TOperation, TResult>> Longest => [.. _order.Arrange(_longest)];

    public HistoryOutcome Run()
    {
        for (_allowance = 1; ; _allowance = Math.Min(2 * _allowance, int.MaxValue / 2))
        {
            if (RunOnce() is { } outcome)
            {
                return outcome;
            }

            Clear();
        }
    }

    /// <returns>Null when there may be an order in which more time-outs take effect between two returns.</returns>
    private HistoryOutcome? RunOnce()
    {
        Settle(new SearchBranch());
        while (!_events.IsEmpty)
        {
            if (_visited + (_ruledOut / RuledOutPerVisited) > _limit)
            {
                RememberLongest();
                return HistoryOutcome.Undecided;
            }

            while (!GoOn())
            {
                RememberLongest();
                Forget(_branches[^1]);
                if (_branches.Count == 0)
                {
                    return _wasCut ? null : HistoryOutcome.Violated;
                }
            }
        }

        return HistoryOutcome.Holds;
    }

    private void Clear()
    {
        _wasCut = false;
        _memory = new(_order.Placed.Words.Length, _spentWords.Length);
        _order.UndoTo(0);
        _unchanged = 0;
        _order.Placed.Words.Clear();
        _order.Absorbable.Words.Clear();
        _branches.Clear();
        _candidates.Clear();
    }

    /// <summary>Goes on from the last branch, in the next way that leads to a new configuration.</summary>
    private bool GoOn()
    {
        while (true)
        {
            var at = _branches.Count - 1;
            GoBackTo(at);
            if (Next(ref CollectionsMarshal.AsSpan(_branches)[at]) is not { } operation)
            {
                return false;
            }

            var origin = _branches[at];
            if (operation < 0)
            {
                _order.Absorb(~operation);
            }
            else
            {
                _ = _order.TryStep(_order.State, operation, out var next);
                _order.Place(operation, next, IsEarly(operation, origin));
                origin.Spent += operation < _order.Closed ? 0 : 1;
            }

            Settle(origin);
            _visited++;
            if (_events.IsEmpty || IsNew(_branches[^1]))
            {
                return true;
            }

            Forget(_branches[^1]);
        }
    }

    /// <returns>An operation to have the next place, the complement of one to be absorbed, or null when all ways have been tried.</returns>
    private int? Next(ref SearchBranch branch)
    {
        if (branch.Absorbs == SearchBranch.Turn.First)
        {
            branch.Absorbs = SearchBranch.Turn.None;
            return ~_events.ReturnedAt(branch.FirstReturn);
        }

        if (NextCandidate(ref branch, branch.GoalsEnd) is { } goal)
        {
            return goal;
        }

        if (branch.IsBlocked && NextOpen(branch, ref branch.NextGoal, isGoal: true) is { } open)
        {
            return open;
        }

        if (NextCandidate(ref branch, branch.CandidatesEnd) is { } candidate)
        {
            return candidate;
        }

        if (branch.Absorbs == SearchBranch.Turn.Last)
        {
            branch.Absorbs = SearchBranch.Turn.None;
            return ~_events.ReturnedAt(branch.FirstReturn);
        }

        return NextOpen(branch, ref branch.NextOpen, isGoal: false);
    }

    private int? NextCandidate(ref SearchBranch branch, int end)
    {
        while (branch.NextCandidate < end)
        {
            var operation = _candidates[branch.NextCandidate++];
            if ((!IsEarly(operation, branch) || WillBeNoticed(operation, branch.Spent))
                && !_order.LeavesLastUnnoticed(operation))
            {
                return operation;
            }
        }

        return null;
    }

    /// <param name="branch">Where the search stands.</param>
    /// <param name="at">The first time-out that has not been looked at.</param>
    /// <param name="isGoal">True for those behind which the first return is possible, false for the others.</param>
    private int? NextOpen(in SearchBranch branch, ref int at, bool isGoal)
    {
        var firstReturn = _events.ReturnedAt(branch.FirstReturn);
        for (; at < _order.Open && _order[_order.Closed + at].CalledAt < _order[firstReturn].ReturnedAt; at++)
        {
            var operation = _order.Closed + at;
            if (_order.Effective[at] || (_twins[at] >= 0 && !_order.Effective[_twins[at]])
                || !_order.TryStep(_order.State, operation, out var next)
                || (IsSame(next, _order.State) && !_order.HidesSome(operation))
                || (branch.IsBlocked && _order.TryStep(next, firstReturn, out _) != isGoal) || _order.LeavesLastUnnoticed(operation))
            {
                continue;
            }

            if (branch.Spent == _allowance)
            {
                _wasCut = true;
                at = _order.Open;
                return null;
            }

            _ruledOut += isGoal ? 0 : 1;
            if (isGoal || IsSame(next, _order.State) || WillBeNoticed(operation, branch.Spent + 1))
            {
                at++;
                return operation;
            }
        }

        return null;
    }

    /// <summary>True when an operation that can be next may tell whether another has its place before it.</summary>
    private bool WillBeNoticed(int operation, int spent)
    {
        _ = _order.TryStep(_order.State, operation, out var next);
        for (var at = _events.After(PendingEvents.Head); _events.TryCall(at, out var behind); at = _events.After(at))
        {
            if (behind != operation && !(Overwrites(operation) && Overwrites(behind)) && _order.TryStep(next, behind, out _)
                && (Overwrites(operation) || !_order.IsSameAfter(_order.State, next, behind)))
            {
                return true;
            }
        }

        var isLast = spent == _allowance;
        var mayOpenNotice = Overwrites(operation) ? _hasOpenThatMayNotice : _order.Open > 0;
        _wasCut |= isLast && mayOpenNotice;
        return !isLast && mayOpenNotice;
    }

    /// <summary>Gives their place to what only reads and gives its result now, and begins a branch over what can be next besides.</summary>
    private void Settle(SearchBranch origin)
    {
        var start = _candidates.Count;
        var passed = origin.FirstReturn;
        var at = _events.After(PendingEvents.Head);
        while (_events.TryCall(at, out var operation))
        {
            var before = _events.Before(at);
            var isPossible = _order.TryStep(_order.State, operation, out var next);
            if (isPossible && _order.Is(OperationEffect.Reads, operation))
            {
                _events.Pass(passed, at, _order.Placed);
                passed = Math.Max(passed, at);
                _order.Place(operation, next, isEarly: false);
                at = _events.After(before);
                continue;
            }

            if (isPossible)
            {
                _candidates.Add(operation);
            }

            at = _events.After(at);
        }

        _events.Pass(passed, at, _order.Placed);
        CollectionsMarshal.AsSpan(_candidates)[start..].Sort(_byReturn);
        var branch = new SearchBranch
        {
            Length = _order.Length,
            FirstReturn = at,
            Spent = at == origin.FirstReturn ? origin.Spent : 0,
            Candidates = start,
            NextCandidate = start,
            CandidatesEnd = _candidates.Count,
        };
        if (!_events.IsEmpty)
        {
            var due = _events.ReturnedAt(at);
            branch.IsBlocked = !_order.TryStep(_order.State, due, out var now);
            branch.GoalsEnd = branch.IsBlocked
                ? PutFirst(start, o => _order.TryStep(_order.State, o, out var next) && _order.TryStep(next, due, out _))
                : PutFirst(start, o => IsSeenBy(o, _order.State));
            branch.Absorbs = !_order.Absorbable[_events.SlotOf(due)] ? SearchBranch.Turn.None
                : IsSeenNext(now, at) ? SearchBranch.Turn.Last
                : SearchBranch.Turn.First;
        }

        _branches.Add(branch);
        CollectionsMarshal.SetCount(_words, _branches.Count * _wordsPerBranch);
        var words = CollectionsMarshal.AsSpan(_words)[^_wordsPerBranch..];
        _order.Placed.Words.CopyTo(words);
        _order.Absorbable.Words.CopyTo(words[(_wordsPerBranch / 2)..]);
    }

    /// <summary>Guesses from what returns next whether it sees the state behind the operation that is due, or the state as it is.</summary>
    private bool IsSeenNext(TState behindDue, int firstReturn)
    {
        var end = Math.Min(_events.End, firstReturn + (4 * _events.Slots));
        for (var at = _events.After(firstReturn); at < end; at = _events.After(at))
        {
            var operation = _events.TryCall(at, out var called) ? called : _events.ReturnedAt(at);
            if (IsSeenBy(operation, behindDue))
            {
                return true;
            }

            if (IsSeenBy(operation, _order.State))
            {
                return false;
            }
        }

        return false;
    }

    /// <summary>True when an operation is possible in a state and leaves it as it is.</summary>
    private bool IsSeenBy(int operation, TState state) => _order.TryStep(state, operation, out var next) && IsSame(next, state);

    private static bool IsSame(TState x, TState y) => PlacedOrder<TState, TOperation, TResult>.IsSame(x, y);

    /// <returns>The end of those that have been put first.</returns>
    private int PutFirst(int start, Predicate<int> isFirst)
    {
        var end = start;
        for (var i = start; i < _candidates.Count; i++)
        {
            if (isFirst(_candidates[i]))
            {
                var first = _candidates[i];
                CollectionsMarshal.AsSpan(_candidates)[end..i].CopyTo(CollectionsMarshal.AsSpan(_candidates)[(end + 1)..]);
                _candidates[end++] = first;
            }
        }

        return end;
    }

    private bool Overwrites(int operation) => _order.Is(OperationEffect.Overwrites, operation);

    /// <summary>True when an operation need not have its place yet, and would lose nothing by having it later.</summary>
    private bool IsEarly(int operation, in SearchBranch branch) =>
        operation >= _order.Closed || (Overwrites(operation) && operation != _events.ReturnedAt(branch.FirstReturn));

    private bool IsNew(in SearchBranch branch)
    {
        _order.Effective.Words.CopyTo(_spentWords);
        var lost = _spentWords.AsSpan(_order.Effective.Words.Length);
        for (var i = 0; i < lost.Length; i++)
        {
            lost[i] = ~_order.Absorbable.Words[i];
        }

        return _memory.Add(branch.FirstReturn, _order.Placed.Words, _spentWords, branch.Spent, _order.State);
    }

    private void Forget(in SearchBranch branch)
    {
        CollectionsMarshal.SetCount(_candidates, branch.Candidates);
        _branches.RemoveAt(_branches.Count - 1);
    }

    private void GoBackTo(int branch)
    {
        _order.UndoTo(_branches[branch].Length);
        _unchanged = Math.Min(_unchanged, _order.Length);
        var words = CollectionsMarshal.AsSpan(_words).Slice(branch * _wordsPerBranch, _wordsPerBranch);
        words[..(_wordsPerBranch / 2)].CopyTo(_order.Placed.Words);
        words[(_wordsPerBranch / 2)..].CopyTo(_order.Absorbable.Words);
    }

    private void RememberLongest()
    {
        if (_order.Length > _longest.Count)
        {
            CollectionsMarshal.SetCount(_longest, _unchanged);
            for (; _unchanged < _order.Length; _unchanged++)
            {
                _longest.Add(_order.Get(_unchanged));
            }
        }
    }
}
