using System.Net;
using System.Text.Json;
using Geo.Experiments.Messaging;

namespace Geo.Experiments.Processes;

/// <summary>A program as one peer of an experiment.</summary>
internal static class PeerRole
{
    public const string Name = "peer";

    private const int Failed = 1;

    /// <param name="startAsync">Makes the peer that the settings ask for.</param>
    public static async Task<int> RunAsync(Func<PeerSettings, Task<IExperimentPeer>> startAsync)
    {
        var settings = JsonSerializer.Deserialize<PeerSettings>(Console.ReadLine() ?? "null");
        if (settings is null)
        {
            return Failed;
        }

        try
        {
            await using var peer = await startAsync(settings);
            Say(PeerWords.Listening + peer.Port);
            if (Console.ReadLine() is not { } addresses)
            {
                return 0;
            }

            // The experiment's end, however it comes, is this process's end, whatever else still runs.
            var over = Task.Run(() => Console.In.ReadToEnd());
            var part = peer.RunAsync([.. JsonSerializer.Deserialize<string[]>(addresses)!.Select(IPEndPoint.Parse)]);
            if (await Task.WhenAny(over, part) == part && await part is { } figures)
            {
                Say(PeerWords.Result + JsonSerializer.Serialize(figures));
            }

            await over;
            Environment.Exit(0);
            return 0;
        }
#pragma warning disable CA1031 // Whatever it is, the experiment is to say it.
        catch (Exception e)
#pragma warning restore CA1031
        {
            Say(PeerWords.Failed + $"{e.GetType().Name}: {e.Message}".ReplaceLineEndings(" "));
            return Failed;
        }
    }

    private static void Say(string line)
    {
        Console.Out.WriteLine(line);
        Console.Out.Flush();
    }
}
