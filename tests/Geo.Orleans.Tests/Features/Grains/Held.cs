using System.Collections.Concurrent;

namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A call that is under way until the test lets it end.</summary>
internal sealed class Held
{
    private static readonly ConcurrentDictionary<string, Held> All = new();

    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends when the call is under way.</summary>
    public Task Begun => _begun.Task;

    public static Held For(string name) => All.GetOrAdd(name, _ => new());

    public Task WaitAsync()
    {
        _begun.TrySetResult();
        return _ended.Task;
    }

    public void LetGo() => _ended.TrySetResult();
}
