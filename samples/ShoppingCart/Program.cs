// One shopping cart in two regions, both in this process. The link between them is cut; both go on; when it is back, both have one cart.
using System.Net;
using Geo;
using Geo.Consistency.Lattices;
using Geo.Embedded;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

using var us = await StartAsync("us", "eu", null);
await using var link = DelayedLink.Start(new()
{
    Target = IPEndPoint.Parse(us.Services.GetRequiredService<IGeoSilo>().ListeningOn!.ToString()),
    OneWayDelay = TimeSpan.FromMilliseconds(75),
});
using var eu = await StartAsync("eu", "us", link.ListeningOn.ToString());
var (here, there) = (Cart(us), Cart(eu));

Console.WriteLine("Both regions write the same cart, 150 ms apart there and back. No call waits for the other region.");
await here.Add("milk", 1);
await here.Add("bread", 1);
await UntilAsync(async () => await here.Show() == await there.Show());
await ShowAsync();

Console.WriteLine("The link is cut. us takes the milk out and wants more bread; eu, which cannot know, wants two more milk, and eggs.");
link.Cut();
await here.Remove("milk");
await here.Add("bread", 1);
await there.Add("milk", 2);
await there.Add("eggs", 6);
await ShowAsync();

Console.WriteLine("The link is back. The milk that us took out is gone, the milk that eu added meanwhile is not, and no bread is lost.");
link.Heal();
await UntilAsync(async () => await here.Show() == await there.Show());
await ShowAsync();
await us.StopAsync();
await eu.StopAsync();
return 0;

static async Task<IHost> StartAsync(string name, string other, string? address)
{
    var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
    builder.Logging.SetMinimumLevel(LogLevel.None);
    builder.UseGeoEmbedded(geo => geo.AddGrain<ShoppingCart>().Configure(options =>
    {
        (options.ClusterId, options.ListenOn) = (name, "127.0.0.1:0");
        options.Clusters[other] = address is null ? [] : [address];
    }));
    var host = builder.Build();
    await host.StartAsync();
    return host;
}

static ICart Cart(IHost region) => region.Services.GetRequiredService<IGrainFactory>().GetGrain<ICart>("ann");

static async Task UntilAsync(Func<Task<bool>> condition)
{
    using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(30));
    while (!await condition())
    {
        await Task.Delay(20, patience.Token);
    }
}

async Task ShowAsync() => Console.WriteLine($"  us shows {await here.Show()}\n  eu shows {await there.Show()}");

internal interface ICart : IGrainWithStringKey
{
    Task Add(string item, int amount);

    Task Remove(string item);

    Task<string> Show();
}

[CoordinationFree]
internal sealed class ShoppingCart : LatticeGrain<Dotted<OrMap<string, DotCounter>>>, ICart
{
    public Task Add(string item, int amount)
    {
        Update((cart, origin) => cart.Content.Update(item, count => count.Add(origin.NextDot(), amount)));
        return Task.CompletedTask;
    }

    public Task Remove(string item)
    {
        Update((cart, origin) => cart.Content.Remove(origin.NextDot(), item));
        return Task.CompletedTask;
    }

    public Task<string> Show() => Task.FromResult(string.Join(", ", State.Content.Select(item => $"{item.Value.Value} {item.Key}")));
}
