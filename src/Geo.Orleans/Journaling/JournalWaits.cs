namespace Geo.Orleans;

/// <summary>Which requests of one activation wait for its journal; lets read-only ones in meanwhile.</summary>
internal sealed class JournalWaits(IGrainContext activation)
{
    private static readonly AsyncLocal<WatchedRequest?> Flowing = new();

    private volatile int _waiting;
    private int _readers;

    /// <summary>The request that the present code is part of, if it is one of this activation.</summary>
    public WatchedRequest? Present => Flowing.Value is { HasEnded: false } request && request.Waits == this ? request : null;

    /// <summary>True while a request that excludes others waits.</summary>
    public bool LetReadersIn => _waiting > 0;

    /// <summary>Makes the code that runs next part of a request; gives what it was part of before.</summary>
    public static WatchedRequest? Enter(WatchedRequest? request)
    {
        var outer = Flowing.Value;
        Flowing.Value = request;
        return outer;
    }

    /// <summary>A read-only request has come. Called on any thread.</summary>
    public void ReaderCame() => Interlocked.Increment(ref _readers);

    /// <summary>A read-only request has started.</summary>
    public void ReaderStarted() => Interlocked.Decrement(ref _readers);

    /// <summary>A request begins to wait; it may do so more than once at a time.</summary>
    public void Begin(WatchedRequest request)
    {
        if (!request.IsExclusive || request.WaitsForJournal++ > 0)
        {
            return;
        }

        _waiting++;
        if (Volatile.Read(ref _readers) > 0)
        {
            // Orleans looks for what may start only when something comes or ends.
            activation.GrainReference.AsReference<IGeoTouch>().TouchAsync().Ignore();
        }
    }

    /// <summary>One of the request's waits is over; nothing happens if the request itself is.</summary>
    public void End(WatchedRequest request)
    {
        if (request is { IsExclusive: true, HasEnded: false } && --request.WaitsForJournal == 0)
        {
            _waiting--;
        }
    }

    /// <summary>A request is over.</summary>
    public void Ended(WatchedRequest request)
    {
        if (request.WaitsForJournal > 0)
        {
            _waiting--;
        }
    }
}
