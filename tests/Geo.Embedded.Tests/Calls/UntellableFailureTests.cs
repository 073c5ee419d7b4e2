namespace Geo.Embedded.Tests;

/// <summary>Grains throw what cannot be sent as it is: the caller has its answer, and the grain its next call.</summary>
public sealed class UntellableFailureTests
{
    private const string Half = "\ud83d";

    public static TheoryData<string> Kinds => [nameof(HalfOfAPair), nameof(CutThroughAPair), nameof(Unreadable)];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_call_that_fails_with_it_is_answered_and_so_is_the_next(string kind)
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<UntellableGrain>());
        await using var client = await silo.ConnectClientAsync();
        var grain = client.GetGrain<IUntellable>(kind);

        var failure = await Assert.ThrowsAnyAsync<Exception>(() => grain.Fail());

        Assert.IsNotType<GeoOutcomeUnknownException>(failure);
        Assert.Equal(1, await grain.Count());
    }

    [Fact]
    public async Task An_activation_that_fails_with_it_answers_all_who_wait()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<UnbornGrain>());
        await using var client = await silo.ConnectClientAsync();
        var grain = client.GetGrain<IUntellable>("a");

        foreach (var call in new[] { grain.Count(), grain.Count(), grain.Count() })
        {
            Assert.IsNotType<GeoOutcomeUnknownException>(await Record.ExceptionAsync(() => call));
        }
    }

    [Fact]
    public void What_is_cut_is_cut_between_characters()
    {
        var reply = CallReply.Failure(CutThroughAPair());
        var reader = new PayloadReader(reply.Span);

        var read = CallReply.ReadSuccess(ref reader, new ExceptionTypes());

        Assert.Contains("xxx\ufffd...", read!.Message, StringComparison.Ordinal);
    }

    internal static Exception Of(string kind) => kind switch
    {
        nameof(HalfOfAPair) => HalfOfAPair(),
        nameof(CutThroughAPair) => CutThroughAPair(),
        _ => Unreadable(),
    };

    private static InvalidOperationException HalfOfAPair() => new($"name '{Half}");

    private static InvalidOperationException CutThroughAPair() => new(new string('x', (16 * 1024) - 1) + "\ud83d\ude00");

    private static UnreadableException Unreadable() => new();

    private sealed class UnreadableException : Exception
    {
        public override string Message => throw new InvalidOperationException("It cannot say.");
    }
}

public interface IUntellable : IGrainWithStringKey
{
    Task Fail();

    Task<int> Count();
}

public sealed class UntellableGrain : Grain, IUntellable
{
    private int _calls;

    public async Task Fail()
    {
        _calls++;
        await Task.Yield();
        throw UntellableFailureTests.Of(this.GetPrimaryKeyString());
    }

    public Task<int> Count() => Task.FromResult(_calls);
}

public sealed class UnbornGrain : Grain, IUntellable
{
    public override Task OnActivateAsync(CancellationToken cancellationToken) => throw UntellableFailureTests.Of("HalfOfAPair");

    public Task Fail() => Task.CompletedTask;

    public Task<int> Count() => Task.FromResult(0);
}
