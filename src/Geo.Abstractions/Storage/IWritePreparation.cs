namespace Geo;

/// <summary>A conditional store in which a read can make the write that follows it cheaper.</summary>
internal interface IWritePreparation
{
    /// <summary>
    /// As <see cref="IConditionalStore.ReadAsync"/>, and readies this process's next write of the key: it takes fewer round trips as long
    /// as nobody else writes or readies the key first. The price is that a write of somebody else then takes more.
    /// </summary>
    ValueTask<StoreRead> ReadToWriteAsync(string key, CancellationToken cancellationToken = default);
}
