using System.Diagnostics.Metrics;
using System.Text;

namespace Geo.Embedded.Tests;

public sealed class Profile
{
    public string Name { get; set; } = "nobody";

    public List<string> Tags { get; set; } = [];
}

public interface IProfile : IGrainWithGuidKey
{
    Task Rename(string name);

    Task<string> Name();

    Task Forget();

    Task<(string? Etag, bool Exists)> Record();
}

public sealed class ProfileGrain : Grain<Profile>, IProfile
{
    public Task Rename(string name)
    {
        State.Name = name;
        return WriteStateAsync();
    }

    public Task<string> Name() => Task.FromResult(State.Name);

    public Task Forget() => ClearStateAsync();

    public Task<(string? Etag, bool Exists)> Record() => Task.FromResult<(string?, bool)>((null, State.Name != "nobody"));
}

public sealed class InjectedProfileGrain([PersistentState("profile", "profiles")] IPersistentState<Profile> profile) : Grain, IProfile
{
    public Task Rename(string name)
    {
        profile.State.Name = name;
        return profile.WriteStateAsync();
    }

    public Task<string> Name() => Task.FromResult(profile.State.Name);

    public Task Forget() => profile.ClearStateAsync();

    public Task<(string? Etag, bool Exists)> Record() => Task.FromResult((profile.Etag, profile.RecordExists));
}

[StorageProvider(ProviderName = GeoStorage.Volatile)]
public sealed class VolatileProfileGrain : Grain<Profile>, IProfile
{
    public async Task Rename(string name)
    {
        State.Name = name;
        await WriteStateAsync();
        await ReadStateAsync();
    }

    public Task<string> Name() => Task.FromResult(State.Name);

    public Task Forget()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    public Task<(string? Etag, bool Exists)> Record() => Task.FromResult<(string?, bool)>((null, false));
}

public sealed class PersistentStateTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_store_that_never_ends_an_operation_does_not_keep_the_grain_for_ever(bool takesEffect)
    {
        var store = new SilentStore(new InMemoryConditionalStore()) { HangsInSilence = true, WritesInSilence = takesEffect };
        await using var silo = await TestSilo.StartAsync(
            "us",
            geo => geo.AddGrain<ProfileGrain>().AddStore(GeoStorage.Default, _ => store)
                .Configure(o => o.RequestTimeout = TimeSpan.FromMilliseconds(300)));
        var profile = silo.Grains.GetGrain<IProfile>(Guid.NewGuid());
        await profile.Rename("first");
        store.IsSilent = true;
        await Assert.ThrowsAnyAsync<GeoException>(() => profile.Rename("second"));
        var before = await Record.ExceptionAsync(profile.Name);
        Assert.True(before is null or GeoException, $"{before}");

        // What hung goes on to hang: only what begins from now on is answered.
        store.Recover();

        await Eventually.HoldsAsync(
            async () => await Record.ExceptionAsync(profile.Name) is null, "the grain is served again");
        Assert.Equal(takesEffect ? "second" : "first", await profile.Name());
    }

    [Fact]
    public async Task Operations_that_a_store_does_not_end_are_counted_and_bounded_over_all_grains()
    {
        const int bound = 3;
        long timedOut = 0, refused = 0;
        using var meters = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name is "geo.states.bounds_hit" or "geo.states.refusals")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        meters.SetMeasurementEventCallback<long>((instrument, count, _, _) => Interlocked.Add(
            ref instrument.Name == "geo.states.refusals" ? ref refused : ref timedOut, count));
        meters.Start();
        var store = new SilentStore { HangsInSilence = true };
        await using var silo = await TestSilo.StartAsync(
            "us",
            geo => geo.AddGrain<ProfileGrain>().AddStore(GeoStorage.Default, _ => store).Configure(o =>
            {
                o.RequestTimeout = TimeSpan.FromMilliseconds(100);
                o.MaxAbandonedOperations = bound;
            }));

        // Each grain that cannot load its state is begun anew with the next call: a bound for each would be none.
        for (var i = 0; i < 4 * bound; i++)
        {
            await Assert.ThrowsAnyAsync<GeoException>(silo.Grains.GetGrain<IProfile>(Guid.NewGuid()).Name);
        }

        Assert.Equal(bound, store.AskedInSilence);
        Assert.True(Interlocked.Read(ref timedOut) >= bound, $"{timedOut} time-outs were counted.");
        Assert.True(Interlocked.Read(ref refused) >= bound, $"{refused} refusals were counted.");
        store.IsSilent = false;
        await Eventually.HoldsAsync(
            async () => await Record.ExceptionAsync(silo.Grains.GetGrain<IProfile>(Key).Name) is null, "the store is asked again");
    }

    private static readonly Guid Key = new("11111111-2222-3333-4444-555555555555");

    [Fact]
    public async Task A_written_state_is_read_by_the_next_activation_and_a_cleared_one_is_not()
    {
        var store = new InMemoryConditionalStore();
        void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<InjectedProfileGrain>().AddStore("profiles", _ => store);
        await using (var silo = await TestSilo.StartAsync("us", Configure))
        {
            var profile = silo.Grains.GetGrain<IProfile>(Key);
            Assert.Equal((null, false), await profile.Record());
            await profile.Rename("Ada");
            Assert.True((await profile.Record()).Exists);
        }

        await using (var silo = await TestSilo.StartAsync("us", Configure))
        {
            var profile = silo.Grains.GetGrain<IProfile>(Key);
            Assert.Equal("Ada", await profile.Name());
            await profile.Forget();
            Assert.Equal("nobody", await profile.Name());
        }

        await using var last = await TestSilo.StartAsync("us", Configure);
        Assert.Equal("nobody", await last.Grains.GetGrain<IProfile>(Key).Name());
    }

    [Fact]
    public async Task A_write_that_conflicts_fails_and_the_next_call_reads_the_state_afresh()
    {
        var store = new InMemoryConditionalStore();
        void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<ProfileGrain>().AddStore(GeoStorage.Default, _ => store);
        await using var one = await TestSilo.StartAsync("us", Configure);
        await using var two = await TestSilo.StartAsync("eu", Configure);
        Assert.Equal("nobody", await one.Grains.GetGrain<IProfile>(Key).Name());
        await two.Grains.GetGrain<IProfile>(Key).Rename("Ada");
        await Assert.ThrowsAsync<InconsistentStateException>(() => one.Grains.GetGrain<IProfile>(Key).Rename("Bob"));
        Assert.Equal("Ada", await one.Grains.GetGrain<IProfile>(Key).Name());
        await one.Grains.GetGrain<IProfile>(Key).Rename("Cy");
        Assert.Equal("Cy", await one.Grains.GetGrain<IProfile>(Key).Name());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_write_of_unknown_outcome_fails_as_such_and_the_next_call_reads_what_is_stored(bool tookEffect)
    {
        var store = new SilentStore(new InMemoryConditionalStore()) { WritesInSilence = tookEffect };
        await using var silo = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<ProfileGrain>().AddStore(GeoStorage.Default, _ => store));
        var profile = silo.Grains.GetGrain<IProfile>(Key);
        await profile.Rename("Ada");
        store.IsSilent = true;
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => profile.Rename("Bob"));
        store.IsSilent = false;
        Assert.Equal(tookEffect ? "Bob" : "Ada", await profile.Name());
        await profile.Rename("Cy");
        Assert.Equal("Cy", await profile.Name());
    }

    [Fact]
    public async Task A_grain_whose_store_does_not_answer_is_unavailable_and_works_when_it_does()
    {
        var store = new SilentStore(new InMemoryConditionalStore()) { IsSilent = true };
        await using var silo = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<ProfileGrain>().AddStore(GeoStorage.Default, _ => store));
        var profile = silo.Grains.GetGrain<IProfile>(Key);
        await Assert.ThrowsAsync<GeoUnavailableException>(profile.Name);
        store.IsSilent = false;
        Assert.Equal("nobody", await profile.Name());
    }

    [Fact]
    public async Task A_state_that_does_not_deserialise_names_grain_store_and_row_and_is_not_overwritten()
    {
        var store = new InMemoryConditionalStore();
        var damaged = Encoding.UTF8.GetBytes("{\"Name\": 7");
        var row = $"state/state/profile/{Key:N}";
        await store.WriteAsync(row, damaged, null, TestContext.Current.CancellationToken);
        await using var silo = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<ProfileGrain>().AddStore(GeoStorage.Default, _ => store));
        var error = await Assert.ThrowsAsync<GeoSerializationException>(() => silo.Grains.GetGrain<IProfile>(Key).Rename("Ada"));
        Assert.Contains(row, error.Message, StringComparison.Ordinal);
        Assert.Contains($"profile/{Key:N}", error.Message, StringComparison.Ordinal);
        Assert.Contains("'Default'", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
        var stored = await store.ReadAsync(row, TestContext.Current.CancellationToken);
        Assert.Equal(damaged, stored.Value.ToArray());
    }

    [Fact]
    public async Task A_volatile_state_lives_and_dies_with_its_activation()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<VolatileProfileGrain>());
        var profile = silo.Grains.GetGrain<IProfile>(Key);
        await profile.Rename("Ada");
        Assert.Equal("Ada", await profile.Name());
        await profile.Forget();
        Assert.Equal("nobody", await profile.Name());
    }
}
