namespace Geo.Embedded;

/// <summary>A grain's access to one stored state (GEO section 2.1, basic state API).</summary>
/// <remarks>
/// All operations throw <see cref="InconsistentStateException"/> when another instance wrote in between, and
/// <see cref="GeoOutcomeUnknownException"/> when the store did not answer. In both cases the activation is deactivated after the present
/// call, because what it holds in memory cannot be trusted; the next call finds an activation that has read the state afresh.
/// </remarks>
public interface IStorage
{
    /// <summary>The version of the state last read or written; null when nothing is stored.</summary>
    string? Etag { get; }

    /// <summary>True when something is stored.</summary>
    bool RecordExists { get; }

    /// <summary>Deletes what is stored, if nobody else changed it, and starts again from a new state.</summary>
    Task ClearStateAsync(CancellationToken cancellationToken = default);

    /// <summary>Writes the state, if nobody else changed what is stored.</summary>
    Task WriteStateAsync(CancellationToken cancellationToken = default);

    /// <summary>Reads the state, replacing the one in memory.</summary>
    /// <exception cref="GeoUnavailableException">The store did not answer; the state in memory is unchanged.</exception>
    /// <exception cref="GeoSerializationException">What is stored cannot be read; nothing stored is changed.</exception>
    Task ReadStateAsync(CancellationToken cancellationToken = default);
}
