using System.Globalization;
using System.Net;
using Geo.Messaging;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Storage;
using Microsoft.Extensions.Logging.Abstractions;
using Orleans.Configuration;
using MessagingOptions = Geo.Messaging.MessagingOptions;

namespace Geo.Orleans.Tests.Processes;

/// <summary>A silo of cluster "eu" in a process of its own, which places some grains on itself and calls them without a pause.</summary>
internal static class SiloProcess
{
    public const string Command = "silo-process";
    public const int Keys = 8;

    private const int CallersOfEach = 4;

    /// <summary>The arguments with which the process is started.</summary>
    public static string[] Arguments(
        SiloPorts ports, int primary, int account, IPEndPoint us, TimeSpan lease, string marks, string prefix) =>
    [
        Command, Text(ports.Silo), Text(ports.Gateway), Text(ports.Geo), Text(primary), Text(account), us.ToString(),
        Text((int)lease.TotalMilliseconds), marks, prefix,
    ];

    public static async Task<int> RunAsync(string[] args)
    {
        var numbers = args[..5].Append(args[6]).Select(text => int.Parse(text, CultureInfo.InvariantCulture)).ToArray();
        var ports = new SiloPorts(numbers[0], numbers[1], numbers[2]);
        using var marks = new ServedMarks(args[7], Keys);
        await using var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId($"silo-process/{Environment.ProcessId}") }, TimeProvider.System,
            NullLoggerFactory.Instance);
        await node.StartAsync();
        var rows = new RemoteConditionalStore(node, await node.JoinAsync(PeerAddress.Loopback(numbers[4])));
        await using var silo = await GeoTestSilo.StartAsync(ports, new IPEndPoint(IPAddress.Loopback, numbers[3]), "eu", builder =>
        {
            builder.Configure<ClusterMembershipOptions>(GeoTestSilo.DetectSoon);
            builder.UseGeo(geo => geo.UseRowStore(_ => rows).Configure(options =>
            {
                options.LeaseDuration = TimeSpan.FromMilliseconds(numbers[5]);
                options.ClusterId = "eu";
                options.ListenOn = $"127.0.0.1:{ports.Geo}";
                options.Clusters["us"] = [args[5]];
            }));
        });

        Timed.Marks = marks;
        var grains = Enumerable.Range(0, Keys).Select(key => silo.Grains.GetGrain<ITimed>(KeyOf(args[8], key))).ToArray();
        foreach (var grain in grains)
        {
            await Eventually.Is(Environment.ProcessId, async () => (await Eventually.Succeeds(() => grain.Serve().AsTask())).Process);
        }

        marks.IsReady = true;
        await Task.WhenAll(Enumerable.Range(0, Keys * CallersOfEach).Select(i => CallAsync(grains[i % Keys], i % Keys, marks)));
        return 0;
    }

    public static string KeyOf(string prefix, int key) => $"{prefix}-{Text(key)}";

    private static async Task CallAsync(ITimed grain, int key, ServedMarks marks)
    {
        // Until the process is ended from outside.
        while (true)
        {
            try
            {
                var served = await grain.Serve();
                if (served.Process == Environment.ProcessId)
                {
                    marks.MarkAnswered(key, served.Began);
                }
            }
            catch (Exception e) when (e is GeoException or OrleansException or TimeoutException)
            {
                await Task.Delay(1);
            }
        }
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
