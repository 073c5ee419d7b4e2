using Orleans.Concurrency;
using Orleans.Services;

namespace Geo.Orleans;

/// <summary>What the silos of one cluster ask and tell each other, as bytes: what they mean is the protocols' business.</summary>
[Alias("geo.silo")]
internal interface IGeoSiloService : IGrainService
{
    /// <summary>The answer of a service on this silo; null when there is no such service, and nothing was done.</summary>
    [Alias("ask")]
    Task<byte[]?> AskAsync(string service, byte[] payload);

    /// <summary>Lets a service on this silo hear of something.</summary>
    [OneWay]
    [Alias("tell")]
    Task TellAsync(string service, byte[] payload);
}
