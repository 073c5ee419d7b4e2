using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded;

/// <summary>Says how a client outside the silos reaches them.</summary>
public sealed class GeoClientBuilder
{
    internal GeoClientBuilder(IServiceCollection services) => Services = services;

    /// <summary>The host's services.</summary>
    public IServiceCollection Services { get; }

    internal WireSettings Wire { get; } = new();

    /// <summary>Changes the client's settings.</summary>
    public GeoClientBuilder Configure(Action<GeoClientOptions> configure)
    {
        Services.Configure(configure);
        return this;
    }

    /// <summary>Lets an exception type cross process borders as itself. Declare it in the silos, too.</summary>
    /// <typeparam name="TException">A type with a public constructor that takes the message, or the message and the cause.</typeparam>
    /// <exception cref="GeoConfigurationException">The type has no such constructor.</exception>
    public GeoClientBuilder AddException<TException>()
        where TException : Exception
    {
        Wire.Exceptions.Add<TException>();
        return this;
    }

    /// <summary>Changes how arguments and results are turned into JSON; the silos need the same change.</summary>
    public GeoClientBuilder ConfigureJson(Action<JsonSerializerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Wire.Json += configure;
        return this;
    }
}
