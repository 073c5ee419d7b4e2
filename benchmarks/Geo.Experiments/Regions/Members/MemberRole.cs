using ByteArraySample;
using Geo.Experiments.ByteArrays;
using Geo.Processes;
using Geo.Processes.Stores;
using Geo.Storage.Sqlite;

namespace Geo.Experiments.Regions;

/// <summary>
/// The role of the process of one of several regions: its silo and who calls there, until the parent says stop or is gone.
/// </summary>
internal static class MemberRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-member";

    private const long EntriesOfRegion = 1_000_000_000;
    private static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(5);

    public static Task<int> RunAsync() => ChildRole.RunAsync<MemberSettings>(ServeAsync);

    private static async Task ServeAsync(ParentPipe parent, MemberSettings settings)
    {
        var rows = await SqliteConditionalStore.OpenAsync(new SqliteStoreOptions { Path = settings.File });
        await using var account = settings.Account is { } address
            ? await AccountClient.ConnectAsync(settings.Name, address, TimeSpan.Zero, StoreTimeout)
            : null;
        await using var silo = await MemberSilo.StartAsync(settings, rows, account?.Store);
        var work = new RegionWork((key, prefix) => silo.Grains.GetGrain<IByteArray>(key, prefix));
        using var ledgers = new LedgerCalls((settings.Number + 1) * EntriesOfRegion, key => silo.Grains.GetGrain<ILedger>(key));
        using var residents = new ResidentCalls((key, prefix) => silo.Grains.GetGrain<IResident>(key, prefix));
        parent.Ready(silo.Address, (MemberQuestion question) => AnswerAsync(question, settings, silo, work, ledgers, residents));
        await parent.Stop;
    }

    private static async Task<MemberAnswer> AnswerAsync(
        MemberQuestion question, MemberSettings settings, MemberSilo silo, RegionWork work, LedgerCalls ledgers, ResidentCalls residents)
    {
        switch (question)
        {
            case { Settle: { } keys }:
                await ledgers.SettleAsync(keys);
                return new();
            case { Begin: { } keys }:
                ledgers.Begin(keys);
                return new();
            case { Tell: true }:
                return new(Calls: await ledgers.EndAsync(), Tenancies: TenancyLog.ToArray());
            case { Read: { } keys }:
                return new(Entries: await ledgers.EntriesAsync(keys));
            case { Step: { } step }:
                return new(Times: await work.StepAsync(step));
            case { Load: { } load }:
                return new(Answers: await work.LoadAsync(load));
            case { Fill: { } load }:
                await residents.FillAsync(load);
                return new();
            case { Call: { } load }:
                residents.Begin(load);
                return new();
            case { EndCalls: true }:
                return new(Tally: await residents.EndAsync());
            case { Remove: { } region }:
                var change = await silo.Configuration!.RemoveAsync(new ClusterId(region));
                return new(Refusal: change.IsMade ? null : change.Message);
            case { Describe: true }:
                var view = await silo.Configuration!.DescribeAsync();
                return new(Stages: view.Clusters.ToDictionary(
                    c => c.Cluster.Name, c => c.Held is { } held ? $"{c.Stage}, {held} rows" : c.Stage));
            default:
                return new(IsLinked: settings.Others.Keys.All(silo.IsLinkedTo));
        }
    }
}
