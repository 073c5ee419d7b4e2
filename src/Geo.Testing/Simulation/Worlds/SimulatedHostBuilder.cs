using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.Metrics;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Testing;

/// <summary>
/// The host of a simulated silo, as the application configures it: the same <see cref="IHostApplicationBuilder"/> as in production, without
/// what a process would add by itself (files, environment variables, a console, signals).
/// </summary>
internal sealed class SimulatedHostBuilder : IHostApplicationBuilder, ILoggingBuilder, IMetricsBuilder
{
    public IDictionary<object, object> Properties { get; } = new Dictionary<object, object>();

    public IConfigurationManager Configuration { get; } = new ConfigurationManager();

    public IHostEnvironment Environment { get; } = new SimulatedEnvironment();

    public ILoggingBuilder Logging => this;

    public IMetricsBuilder Metrics => this;

    public IServiceCollection Services { get; } = new ServiceCollection();

    public void ConfigureContainer<TContainerBuilder>(
        IServiceProviderFactory<TContainerBuilder> factory, Action<TContainerBuilder>? configure = null)
        where TContainerBuilder : notnull =>
        throw new NotSupportedException("A simulated silo has the container of Microsoft.Extensions.DependencyInjection.");
}
