namespace Geo.Experiments.Soak.Stores;

/// <summary>The store that both regions share.</summary>
internal interface ISoakStore : IAsyncDisposable
{
    /// <summary>How a region's process reaches it.</summary>
    StoreAddress Address { get; }

    /// <summary>The end of what it wrote for people.</summary>
    IReadOnlyList<string> LastWords { get; }

    /// <summary>Why it ended by itself; each end is told once. A server that is not this project's is not watched.</summary>
    string? TakeFailure();

    /// <summary>Ends it as a crash would.</summary>
    /// <returns>False where there was nothing to kill.</returns>
    Task<bool> KillAsync();

    /// <summary>Starts it again with what it had; once.</summary>
    /// <exception cref="Geo.Processes.ChildFailedException">It did not start.</exception>
    Task StartAgainAsync(CancellationToken cancellationToken);
}
