using System.Threading.Tasks.Sources;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>An actor's wait for its reply; the actor goes on where the reply was received.</summary>
internal sealed class PlainReply : IValueTaskSource<long>
{
    private ManualResetValueTaskSourceCore<long> _core;

    /// <summary>Begins the next wait.</summary>
    public ValueTask<long> NextAsync()
    {
        _core.Reset();
        return new ValueTask<long>(this, _core.Version);
    }

    public void Complete(long number) => _core.SetResult(number);

    public long GetResult(short token) => _core.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
