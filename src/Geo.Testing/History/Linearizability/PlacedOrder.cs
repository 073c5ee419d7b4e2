using System.Runtime.InteropServices;

namespace Geo.Testing;

/// <summary>
/// An order of some of an object's operations that the model agrees with, which a search makes longer and shorter. Operations have
/// numbers: first those that returned, then those that are open, each in the order of their calls.
/// </summary>
internal sealed class PlacedOrder<TState, TOperation, TResult>
    where TState : notnull
{
    private readonly HistoryOperation<TOperation, TResult>[] _operations;
    private readonly SequentialModel<TState, TOperation, TResult> _model;
    private readonly List<Choice> _choices = [];
    private readonly int[] _absorbers;
    private readonly OperationEffect[] _effects;

    /// <param name="operations">In the order of their calls.</param>
    /// <param name="model">What the object does.</param>
    public PlacedOrder(
        IReadOnlyList<HistoryOperation<TOperation, TResult>> operations, SequentialModel<TState, TOperation, TResult> model)
    {
        (_model, State) = (model, model.Initial);
        _operations =
        [
            .. operations.Where(o => o.ReturnedAt is not null),
            .. operations.Where(o => o.ReturnedAt is null && model.Effect(o.Operation) != OperationEffect.Reads),
        ];
        Closed = operations.Count(o => o.ReturnedAt is not null);
        Events = new PendingEvents([.. _operations[..Closed].Select(o => (o.CalledAt, o.ReturnedAt!.Value))]);
        _effects = [.. _operations.Select(o => model.Effect(o.Operation))];
        _absorbers = new int[Closed];
        (Placed, Absorbable, Effective) = (new(Events.Slots), new(Events.Slots), new(Open));
    }

    /// <summary>How many operations returned.</summary>
    public int Closed { get; }

    /// <summary>How many are open and may have an effect.</summary>
    public int Open => _operations.Length - Closed;

    /// <summary>The state behind the order.</summary>
    public TState State { get; private set; }

    /// <summary>How many operations have their place.</summary>
    public int Length => _choices.Count;

    /// <summary>What has no place yet.</summary>
    public PendingEvents Events { get; }

    /// <summary>By slot, which operations have their place although they return behind the first return.</summary>
    public BitWords Placed { get; }

    /// <summary>By slot, which pending operations can still have a place right before one that overwrites them.</summary>
    public BitWords Absorbable { get; }

    /// <summary>Which open operations have taken effect.</summary>
    public BitWords Effective { get; }

    public HistoryOperation<TOperation, TResult> this[int operation] => _operations[operation];

    /// <returns>False when the operation cannot happen in the state, or gives another result there.</returns>
    public bool TryStep(TState state, int operation, out TState next)
    {
        var called = _operations[operation];
        var step = _model.Step(state, called.Operation);
        next = step is null ? state : step.Value.Next;
        return step is not null && (operation >= Closed || EqualityComparer<TResult>.Default.Equals(step.Value.Result, called.Result));
    }

    public static bool IsSame(TState x, TState y) => EqualityComparer<TState>.Default.Equals(x, y);

    /// <summary>True when an operation does the same in two states.</summary>
    public bool IsSameAfter(TState one, TState other, int operation) =>
        TryStep(one, operation, out var x) && TryStep(other, operation, out var y) && IsSame(x, y);

    public bool Is(OperationEffect effect, int operation) => _effects[operation] == effect;

    /// <summary>
    /// True when the last operation came early for nothing: none was absorbed by it, and the next one does not tell whether it is there.
    /// </summary>
    public bool LeavesLastUnnoticed(int operation)
    {
        var last = _choices.FindLastIndex(c => !c.IsAbsorbed);
        if (last < 0 || !_choices[last].IsEarly)
        {
            return false;
        }

        for (var i = last + 1; i < _choices.Count; i++)
        {
            if (_absorbers[_choices[i].Operation] == last)
            {
                return false;
            }
        }

        return Is(OperationEffect.Overwrites, _choices[last].Operation)
            ? Is(OperationEffect.Overwrites, operation)
            : IsSameAfter(_choices[last].Before, State, operation);
    }

    /// <summary>True when a pending operation could be absorbed by another that overwrites it.</summary>
    public bool HidesSome(int absorber)
    {
        for (var at = Events.After(PendingEvents.Head); Is(OperationEffect.Overwrites, absorber) && Events.TryCall(at, out var operation);
            at = Events.After(at))
        {
            if (operation != absorber && Is(OperationEffect.Overwrites, operation) && !Absorbable[Events.SlotOf(operation)])
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Gives an operation the next place.</summary>
    public void Place(int operation, TState next, bool isEarly)
    {
        if (Is(OperationEffect.Overwrites, operation))
        {
            MarkAbsorbable();
        }

        _choices.Add(new(operation, State, isEarly, IsAbsorbed: false));
        State = next;
        if (operation < Closed)
        {
            Take(operation);
        }
        else
        {
            Effective[operation - Closed] = true;
        }
    }

    /// <summary>Gives an operation its place right before the one that overwrites it: the state stays as it is.</summary>
    public void Absorb(int operation)
    {
        _choices.Add(new(operation, State, IsEarly: false, IsAbsorbed: true));
        Take(operation);
    }

    /// <summary>Takes their place from the last operations. <see cref="Placed"/> and <see cref="Absorbable"/> are the caller's to put
    /// back.</summary>
    public void UndoTo(int length)
    {
        for (var i = _choices.Count - 1; i >= length; i--)
        {
            var (operation, before, _, _) = _choices[i];
            State = before;
            if (operation < Closed)
            {
                Events.PutBack(operation);
            }
            else
            {
                Effective[operation - Closed] = false;
            }
        }

        CollectionsMarshal.SetCount(_choices, length);
    }

    /// <summary>An operation of the order, and the number of the one that it comes before where it was absorbed.</summary>
    public (int Operation, int At) Get(int number) =>
        _choices[number] is { IsAbsorbed: true, Operation: var absorbed }
            ? (absorbed, _absorbers[absorbed])
            : (_choices[number].Operation, number);

    /// <summary>The operations with each absorbed one where it belongs.</summary>
    public IEnumerable<HistoryOperation<TOperation, TResult>> Arrange(IEnumerable<(int Operation, int At)> order) =>
        order.Select((o, number) => (o.Operation, o.At, IsAbsorbed: o.At != number))
            .OrderBy(o => o.At).ThenByDescending(o => o.IsAbsorbed).Select(o => _operations[o.Operation]);

    /// <summary>Whatever pending operation overwrites could come right before another that does.</summary>
    private void MarkAbsorbable()
    {
        for (var at = Events.After(PendingEvents.Head); Events.TryCall(at, out var operation); at = Events.After(at))
        {
            if (Is(OperationEffect.Overwrites, operation) && !Absorbable[Events.SlotOf(operation)] && TryStep(State, operation, out _))
            {
                Absorbable[Events.SlotOf(operation)] = true;
                _absorbers[operation] = _choices.Count;
            }
        }
    }

    private void Take(int operation)
    {
        Events.Take(operation);
        Placed[Events.SlotOf(operation)] = true;
        Absorbable[Events.SlotOf(operation)] = false;
    }

    /// <param name="Operation">What has its place.</param>
    /// <param name="Before">The state before it.</param>
    /// <param name="IsEarly">True when nothing made it necessary, so that the operation behind it must tell that it is there.</param>
    /// <param name="IsAbsorbed">True when its place is before an earlier one of the order.</param>
    private readonly record struct Choice(int Operation, TState Before, bool IsEarly, bool IsAbsorbed);
}
