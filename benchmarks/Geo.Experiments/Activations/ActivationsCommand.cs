using System.CommandLine;
using System.Globalization;
using Geo.Storage.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Experiments.Activations;

/// <summary>The command <c>activations</c>: what an idle activation takes of memory, by protocol, after one confirmed update.</summary>
internal static class ActivationsCommand
{
    public static Command Create()
    {
        var count = new Option<int>("--count") { Description = "How many activations of each class.", DefaultValueFactory = _ => 50_000 };
        var command = new Command("activations", "The memory of idle activations, by protocol.") { count };
        command.SetAction((parsed, _) => RunAsync(parsed.GetValue(count), Console.Out));
        return command;
    }

    private static async Task RunAsync(int count, TextWriter output)
    {
        await output.WriteLineAsync(
            $"Managed bytes an activation, of {count} that were called once: all of the silo, with its part of the directory; what is "
            + "stored is in files.");
        foreach (var type in IdleGrains.All)
        {
            // Fewer first, so that what is made once is there.
            await WeighAsync(type, 1_000);
            var bytes = await WeighAsync(type, count);
            await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"{type.Name}: {bytes:N0} B"));
        }
    }

    private static async Task<long> WeighAsync(Type type, int count)
    {
        using var folder = new ScratchFolder();
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.UseGeoEmbedded(geo => geo.Configure(silo => silo.ClusterId = "here").AddGrains(typeof(IdleGrains).Assembly)
            .AddSqliteStore(GeoStorage.Default, folder.Store));
        using var host = builder.Build();
        await host.StartAsync();
        var grains = host.Services.GetRequiredService<IGrainFactory>();
        var before = GC.GetTotalMemory(forceFullCollection: true);
        for (var i = 0; i < count; i++)
        {
            await grains.GetGrain<IIdle>(i, type.FullName).Touch();
        }

        await Task.Delay(TimeSpan.FromSeconds(1));
        var bytes = (GC.GetTotalMemory(forceFullCollection: true) - before) / count;
        await host.StopAsync();
        return bytes;
    }
}
