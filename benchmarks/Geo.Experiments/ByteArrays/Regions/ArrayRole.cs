using System.Net;
using ByteArraySample;
using Geo.Processes;
using Geo.Processes.Stores;
using Geo.Testing.Wan;

namespace Geo.Experiments.ByteArrays;

/// <summary>The role of a region's process: its silo and its robots, until the parent says stop or is gone.</summary>
internal static class ArrayRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-array";

    private static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(30);

    public static Task<int> RunAsync() => ChildRole.RunAsync<RegionSettings>(ServeAsync);

    private static async Task ServeAsync(ParentPipe parent, RegionSettings settings)
    {
        await using var account = await AccountClient.ConnectAsync(settings.Name, settings.Account, settings.Storage, StoreTimeout);
        await using var host = await RegionHost.StartAsync(settings.Name, settings.Other, settings.OtherAddress, account.Store);

        // The other region finds this one at the far end of a link of the distance between them.
        await using var link = DelayedLink.Start(
            new DelayedLinkOptions { Target = IPEndPoint.Parse(host.Address), OneWayDelay = settings.RoundTrip / 2 });
        var work = new RegionWork((key, prefix) => host.Grains.GetGrain<IByteArray>(key, prefix));
        var watch = new LossWatch((key, prefix) => host.Grains.GetGrain<IByteArray>(key, prefix));
        parent.Ready(link.ListeningOn.ToString(), async (RegionQuestion question) => question switch
        {
            { Step: { } step } => new RegionAnswer(Times: await work.StepAsync(step)),
            { Load: { } load } => new RegionAnswer(Answers: await work.LoadAsync(load)),
            { Loss: { } loss } => await LoseAsync(loss, watch, link),
            _ => new RegionAnswer(IsLinked: host.IsLinkedTo(settings.Other)),
        });
        await parent.Stop;
    }

    private static async Task<RegionAnswer> LoseAsync(RegionLoss loss, LossWatch watch, DelayedLink link)
    {
        switch (loss.Stage)
        {
            case LossStage.Own:
                await watch.OwnAsync(loss.Arrays);
                return new();

            case LossStage.Watch:
                await watch.WatchAsync(loss.Arrays);
                return new();

            case LossStage.Cut:
                link.Cut(loss.Cut);
                return new();

            default:
                return new(Seen: await watch.TellAsync());
        }
    }
}
