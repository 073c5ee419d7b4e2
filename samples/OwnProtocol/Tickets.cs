using Microsoft.Extensions.Hosting;

namespace OwnProtocol;

public interface ITickets : IGrainWithStringKey
{
    /// <summary>Sells a ticket to somebody; it is stored when this returns.</summary>
    Task Sell(int number);

    /// <summary>Sells it only if nobody has sold one since this cluster looked last.</summary>
    Task<bool> TrySell(int number);

    Task<int[]> Sold();
}

/// <summary>An instance in each cluster; its versions are kept by the protocol of this sample.</summary>
[OneInstancePerCluster, WriteEach]
public sealed class Tickets : JournaledGrain<SoldTickets, Sold>, ITickets
{
    public async Task Sell(int number)
    {
        RaiseEvent(new Sold(number));
        await ConfirmEvents();
    }

    public Task<bool> TrySell(int number) => RaiseConditionalEvent(new Sold(number));

    async Task<int[]> ITickets.Sold()
    {
        await RefreshNow();
        return [.. State.Numbers];
    }
}

public sealed class SoldTickets
{
    public List<int> Numbers { get; init; } = [];

    public void Apply(Sold sold) => Numbers.Add(sold.Number);
}

public sealed record Sold(int Number);

public static class App
{
    public static void Configure(IHostApplicationBuilder host) => host.UseGeoEmbedded(geo => geo.AddGrain<Tickets>());
}
