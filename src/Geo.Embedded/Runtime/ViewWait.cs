using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>
/// One wait for the grain's view: it ends when the call that waits has been given up, because its time is up or its caller cancelled it.
/// Used again for the next wait, unless it was ended so.
/// </summary>
internal sealed class ViewWait : Deadline, IViewWait
{
    private readonly CancellationTokenSource _givenUp = new();
    private CancellationTokenRegistration _cancellation;
    private Activation? _activation;
    private Turn? _turn;
    private volatile bool _isOverdue;

    /// <inheritdoc/>
    public CancellationToken GivenUp => _givenUp.Token;

    /// <inheritdoc/>
    public bool IsOverdue => _isOverdue;

    /// <summary>Begins.</summary>
    /// <param name="activation">Where.</param>
    /// <param name="turn">The turn that waits; null when none does.</param>
    /// <param name="dueAt">When its time is up.</param>
    /// <param name="cancellation">Set when its caller cancels it.</param>
    public void Begin(Activation activation, Turn? turn, long dueAt, CancellationToken cancellation)
    {
        (_activation, _turn) = (activation, turn);
        _cancellation = cancellation.UnsafeRegister(static wait => ((ViewWait)wait!)._givenUp.Cancel(), this);
        activation.Silo.Deadlines.Add(this, dueAt);
    }

    public override void Expire()
    {
        _isOverdue = true;
        _givenUp.Cancel();
    }

    public void Dispose()
    {
        if (_activation is not { } activation)
        {
            return;
        }

        var turn = _turn;
        (_activation, _turn) = (null, null);
        var isCancelling = _cancellation != default && !_cancellation.Unregister();
        var mayUseAgain = activation.Silo.Deadlines.Remove(this) && !isCancelling && _givenUp.TryReset();
        if (turn is not null)
        {
            activation.Turns.ViewWaitEnds(turn);
        }

        _cancellation = default;
        Spare<ViewWait>.Give(this, mayUseAgain);
    }
}
