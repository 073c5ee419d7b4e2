using Orleans.Concurrency;
using Orleans.Services;

namespace Geo.Orleans;

/// <summary>What the silos of one cluster ask and tell each other, as bytes: what they mean is the protocols' business.</summary>
[Alias("geo.silo")]
internal interface IGeoSiloService : IGrainService
{
    /// <summary>The answer of a service on this silo; null when there is no such service, and nothing was done.</summary>
    /// <remarks>How long it is waited for is the caller's to say, and in Orleans the longest time that a message can name.</remarks>
    [Alias("ask")]
    [ResponseTimeout("24.00:00:00")]
    Task<byte[]?> AskAsync(string service, byte[] payload, CancellationToken cancellationToken);

    /// <summary>Lets a service on this silo hear of something.</summary>
    [OneWay]
    [Alias("tell")]
    Task TellAsync(string service, byte[] payload);
}
