using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Geo.Telemetry.Tests;

public sealed class InstrumentationTests
{
    private const string Class = "ledger";

    [Fact]
    public async Task Calls_are_timed_by_class_region_and_outcome_stores_by_operation_and_outcome_and_spans_name_the_class()
    {
        using var collected = new Collected();
        var store = new InMemoryConditionalStore();
        await using var us = await Region.StartAsync("us", "eu", null, store);
        await using var eu = await Region.StartAsync("eu", "us", us.Silo.ListeningOn!.ToString(), store);
        await UntilAsync(() => us.Silo.IsLinkedTo(new("eu")) && eu.Silo.IsLinkedTo(new("us")), collected);

        await us.Grains.GetGrain<ILedger>("a").Add(1);
        await eu.Grains.GetGrain<ILedger>("a").Add(1);
        await Assert.ThrowsAnyAsync<Exception>(() => us.Grains.GetGrain<ILedger>("a").Fail());

        // A call is answered before it is counted.
        await CountsAsync(collected, "geo.calls.duration", 2, ("geo.grain_class", Class), ("geo.region", "us"), ("geo.outcome", "done"));
        await CountsAsync(collected, "geo.calls.duration", 1, ("geo.grain_class", Class), ("geo.region", "us"), ("geo.outcome", "failed"));
        await CountsAsync(
            collected, "geo.storage.duration", 2, ("geo.store", "Ledgers"), ("geo.operation", "write"), ("geo.outcome", "applied"));
        await CountsAsync(
            collected, "geo.storage.duration", 1, ("geo.store", "Ledgers"), ("geo.operation", "read"), ("geo.outcome", "not-found"));
        await CountsAsync(collected, "geo.messaging.links", 1);
        await UntilAsync(() => Has(collected, "request geo.embedded.call", ActivityKind.Client), collected);
        await UntilAsync(() => Has(collected, "handle geo.embedded.call", ActivityKind.Server), collected);
        await UntilAsync(() => Has(collected, "request geo.gsi", ActivityKind.Client), collected);
        await UntilAsync(() => Has(collected, "handle geo.gsi", ActivityKind.Server), collected);
    }

    private static Task CountsAsync(
        Collected collected, string instrument, long count, params (string Key, string Value)[] tags) => UntilAsync(
        () => collected.Read().Any(point => point.Instrument == instrument && point.Count >= count
            && tags.All(tag => (string?)point.Tags.GetValueOrDefault(tag.Key) == tag.Value)),
        collected,
        $"{instrument} {string.Join(", ", tags)}");

    private static bool Has(Collected collected, string span, ActivityKind kind) => collected.AllSpans.Any(
        s => s.OperationName == span && s.Kind == kind && (string?)s.GetTagItem("geo.grain_class") == Class);

    private static async Task UntilAsync(
        Func<bool> condition, Collected collected, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        var deadline = DateTime.UtcNow.AddSeconds(30);
        while (!condition())
        {
            Assert.True(DateTime.UtcNow < deadline, $"{what}\n{string.Join('\n', collected.Read())}");
            await Task.Delay(TimeSpan.FromMilliseconds(10), TestContext.Current.CancellationToken);
        }
    }
}
