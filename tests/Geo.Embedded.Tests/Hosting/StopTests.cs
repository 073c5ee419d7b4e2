using Geo.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Embedded.Tests;

/// <summary>All that a silo has begun is ended, whatever becomes of the rest of it.</summary>
public sealed class StopTests : IDisposable
{
    private readonly DisposableStore _good = new();
    private readonly VirtualTime _time = new();
    private readonly LoggedLines _log = new();

    [Fact]
    public async Task A_part_that_does_not_end_and_one_that_throws_keep_nothing_from_its_end()
    {
        using var host = Build(geo => geo
            .AddStore("good", _ => _good)
            .AddStore("hanging", _ => new UnclosableStore(hangs: true))
            .AddStore("throwing", _ => new UnclosableStore(hangs: false)));
        await host.StartAsync(TestContext.Current.CancellationToken);

        var stopping = host.StopAsync(TestContext.Current.CancellationToken);
        await Eventually.HoldsAsync(() => Passes(TimeSpan.FromMinutes(1)) && stopping.IsCompleted, "the silo has stopped");

        Assert.True(_good.IsDisposed);
        var told = $"{await Record.ExceptionAsync(() => stopping)}";
        Assert.Contains("it will not close", told, StringComparison.Ordinal);
        Assert.Contains("store 'hanging'", told, StringComparison.Ordinal);
        Assert.Single(_log.Lines, line => line.Contains("store 'throwing'", StringComparison.Ordinal));
        Assert.Single(_log.Lines, line => line.Contains("store 'hanging'", StringComparison.Ordinal));

        // The host disposes of it once more, and hears nothing new.
        await ((IAsyncDisposable)host).DisposeAsync();
    }

    [Fact]
    public async Task A_start_that_fails_says_why_though_a_part_of_it_cannot_be_ended()
    {
        using var host = Build(geo => geo
            .AddGrain<StorelessGrain>()
            .AddStore("good", _ => _good)
            .AddStore("throwing", _ => new UnclosableStore(hangs: false)));

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.Contains("'nowhere'", error.Message, StringComparison.Ordinal);
        Assert.True(_good.IsDisposed);
        Assert.Single(_log.Lines, line => line.Contains("store 'throwing'", StringComparison.Ordinal));
    }

    public void Dispose()
    {
        _good.Dispose();
        _log.Dispose();
    }

    private IHost Build(Action<GeoEmbeddedBuilder> configure)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.AddProvider(_log);
        builder.Services.AddSingleton<TimeProvider>(_time).AddSingleton<SiloSurroundings>(new RecordingSurroundings());
        builder.UseGeoEmbedded(geo => configure(geo.Configure(o => o.ClusterId = "us")));
        return builder.Build();
    }

    private bool Passes(TimeSpan time)
    {
        _time.Advance(time);
        return true;
    }

    private sealed class UnclosableStore(bool hangs) : StoreOver(new InMemoryConditionalStore()), IAsyncDisposable
    {
        public ValueTask DisposeAsync() =>
            hangs ? new(new TaskCompletionSource().Task) : throw new InvalidOperationException("it will not close");
    }

    private sealed class LoggedLines : ILoggerProvider, ILogger
    {
        private readonly List<string> _lines = [];

        public IReadOnlyList<string> Lines
        {
            get
            {
                lock (_lines)
                {
                    return [.. _lines];
                }
            }
        }

        public ILogger CreateLogger(string categoryName) => categoryName == "Geo.Embedded" ? this : NullLogger.Instance;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            lock (_lines)
            {
                _lines.Add(formatter(state, exception));
            }
        }

        public void Dispose()
        {
        }
    }
}
