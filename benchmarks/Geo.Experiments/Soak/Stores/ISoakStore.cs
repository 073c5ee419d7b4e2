namespace Geo.Experiments.Soak.Stores;

/// <summary>The store that both regions share.</summary>
internal interface ISoakStore : IAsyncDisposable
{
    /// <summary>How a region's process reaches it.</summary>
    StoreAddress Address { get; }

    /// <summary>Ends it as a crash would.</summary>
    Task KillAsync();

    /// <summary>Starts it again with what it had.</summary>
    Task StartAgainAsync(CancellationToken cancellationToken);
}
