using System.Collections;

namespace Geo.Testing;

/// <summary>The search for an order of one object's operations that the model agrees with.</summary>
internal sealed class LinearizationSearch<TState, TOperation, TResult>
    where TState : notnull
{
    private readonly HistoryOperation<TOperation, TResult>[] _operations;
    private readonly SequentialModel<TState, TOperation, TResult> _model;
    private readonly int _limit;
    private readonly HashSet<Configuration> _seen = [];
    private readonly Stack<(Event Call, TState Before)> _chosen = new();
    private readonly Event _head = new(-1, null);
    private List<int> _longest = [];

    public LinearizationSearch(
        HistoryOperation<TOperation, TResult>[] operations, SequentialModel<TState, TOperation, TResult> model, int limit)
    {
        (_operations, _model, _limit) = (operations, model, limit);
        var events = new List<(long Place, Event Event)>();
        for (var i = 0; i < operations.Length; i++)
        {
            var end = operations[i].ReturnedAt is { } at ? (at, new Event(i, null)) : default((long, Event)?);
            events.Add((operations[i].CalledAt, new Event(i, end?.Item2 ?? Event.Never)));
            if (end is { } returned)
            {
                events.Add(returned);
            }
        }

        var last = _head;
        foreach (var (_, next) in events.OrderBy(e => e.Place))
        {
            last.Next = next;
            next.Previous = last;
            last = next;
        }
    }

    public LinearizabilityOutcome Run()
    {
        var state = _model.Initial;
        var linearized = new BitArray(_operations.Length);
        var returnsLeft = _operations.Count(o => o.ReturnedAt is not null);
        var at = _head.Next;
        while (returnsLeft > 0)
        {
            if (at!.Return is { } end)
            {
                var operation = _operations[at.Operation];
                if (_model.Step(state, operation.Operation) is { } step
                    && (end == Event.Never || EqualityComparer<TResult>.Default.Equals(step.Result, operation.Result))
                    && IsNew(linearized, at.Operation, step.Next))
                {
                    if (_seen.Count > _limit)
                    {
                        return LinearizabilityOutcome.Undecided;
                    }

                    _chosen.Push((at, state));
                    state = step.Next;
                    linearized[at.Operation] = true;
                    at.Lift();
                    returnsLeft -= end == Event.Never ? 0 : 1;
                    RememberLongest();
                    at = _head.Next;
                }
                else
                {
                    at = at.Next;
                }

                continue;
            }

            // A return whose operation has no place yet: nothing further may come before it, so the last choice was wrong.
            if (!_chosen.TryPop(out var last))
            {
                return LinearizabilityOutcome.Violated;
            }

            state = last.Before;
            linearized[last.Call.Operation] = false;
            last.Call.Unlift();
            returnsLeft += last.Call.Return == Event.Never ? 0 : 1;
            at = last.Call.Next;
        }

        return LinearizabilityOutcome.Linearizable;
    }

    public string Explain()
    {
        var state = _model.Initial;
        foreach (var operation in _longest)
        {
            state = _model.Step(state, _operations[operation].Operation)!.Value.Next;
        }

        var rest = _operations.Where((_, i) => !_longest.Contains(i)).OrderBy(o => o.ReturnedAt ?? long.MaxValue).Take(8);
        return $"'{_operations[0].Key}' is not linearizable. The longest order found explains {_longest.Count} of {_operations.Length} "
            + $"operations and ends in state {state}; behind it fit none of:{Environment.NewLine}  "
            + string.Join($"{Environment.NewLine}  ", rest);
    }

    private bool IsNew(BitArray linearized, int operation, TState next)
    {
        var bits = new BitArray(linearized) { [operation] = true };
        return _seen.Add(new Configuration(bits, next));
    }

    private void RememberLongest()
    {
        if (_chosen.Count > _longest.Count)
        {
            _longest = [.. _chosen.Reverse().Select(c => c.Call.Operation)];
        }
    }

    /// <summary>A call, which knows its return, or a return, in the list of what has no place in the order yet.</summary>
    private sealed class Event(int operation, Event? end)
    {
        public static readonly Event Never = new(-1, null);

        public int Operation { get; } = operation;

        public Event? Return { get; } = end;

        public Event? Previous { get; set; }

        public Event? Next { get; set; }

        public void Lift()
        {
            Unlink();
            if (Return != Never)
            {
                Return!.Unlink();
            }
        }

        public void Unlift()
        {
            if (Return != Never)
            {
                Return!.Link();
            }

            Link();
        }

        private void Unlink()
        {
            Previous!.Next = Next;
            Next?.Previous = Previous;
        }

        private void Link()
        {
            Previous!.Next = this;
            Next?.Previous = this;
        }
    }

    /// <summary>Which operations have their place, and the state behind them: two searches that meet here go on alike.</summary>
    private sealed class Configuration : IEquatable<Configuration>
    {
        private readonly int[] _linearized;
        private readonly TState _state;
        private readonly int _hash;

        public Configuration(BitArray linearized, TState state)
        {
            _linearized = new int[(linearized.Length + 31) / 32];
            linearized.CopyTo(_linearized, 0);
            _state = state;
            var hash = new HashCode();
            foreach (var word in _linearized)
            {
                hash.Add(word);
            }

            hash.Add(state);
            _hash = hash.ToHashCode();
        }

        public bool Equals(Configuration? other) =>
            other is not null && _hash == other._hash && _linearized.AsSpan().SequenceEqual(other._linearized)
            && EqualityComparer<TState>.Default.Equals(_state, other._state);

        public override bool Equals(object? obj) => Equals(obj as Configuration);

        public override int GetHashCode() => _hash;
    }
}
