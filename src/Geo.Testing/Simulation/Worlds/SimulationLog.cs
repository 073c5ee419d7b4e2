using Microsoft.Extensions.Logging;

namespace Geo.Testing;

/// <summary>The log of a simulated process: each message is part of the trace, and some are counted.</summary>
internal sealed class SimulationLog(SimulationWorld world) : ILoggerFactory, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
        // The simulation's log is the only one: another one's thread would be outside of it.
    }

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
        {
            world.Noted(eventId.Name, exception is null ? formatter(state, null) : $"{formatter(state, null)} {exception.GetType().Name}");
        }
    }

    public void Dispose()
    {
    }
}
