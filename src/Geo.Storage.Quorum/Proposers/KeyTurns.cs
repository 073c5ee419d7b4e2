namespace Geo.Storage.Quorum;

/// <summary>
/// One ballot of a key at a time in this process: side by side they would only refuse each other. Who waits holds nothing but its place.
/// </summary>
internal sealed class KeyTurns
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Task> _last = new(StringComparer.Ordinal);

    /// <summary>True while somebody has the turn, or waits for it.</summary>
    public bool IsTaken(string key)
    {
        lock (_gate)
        {
            return _last.ContainsKey(key);
        }
    }

    /// <summary>Waits for the turn.</summary>
    /// <returns>Ends it.</returns>
    /// <exception cref="OperationCanceledException">The token was set first; the turn passes on.</exception>
    public async ValueTask<IDisposable> TakeAsync(string key, CancellationToken cancellationToken)
    {
        var mine = new Turn(this, key);
        Task? before;
        lock (_gate)
        {
            before = _last.GetValueOrDefault(key);
            _last[key] = mine.Ended;
        }

        if (before is not null)
        {
            try
            {
                await Patience.EndAsync(before).WaitAsync(cancellationToken);
            }
            catch (OperationCanceledException)
            {
                _ = PassOnAsync(before, mine);
                throw;
            }
        }

        return mine;
    }

    private static async Task PassOnAsync(Task before, Turn mine)
    {
        await before;
        mine.Dispose();
    }

    private sealed class Turn(KeyTurns turns, string key) : IDisposable
    {
        private readonly TaskCompletionSource _ended = new();

        public Task Ended => _ended.Task;

        public void Dispose()
        {
            lock (turns._gate)
            {
                if (turns._last.GetValueOrDefault(key) == Ended)
                {
                    turns._last.Remove(key);
                }
            }

            _ended.TrySetResult();
        }
    }
}
