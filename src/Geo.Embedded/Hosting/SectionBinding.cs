using Microsoft.Extensions.Configuration;

namespace Geo;

/// <summary>Reads settings from a section of the configuration.</summary>
internal static class SectionBinding
{
    /// <summary>Sets options from a section. A key that they do not have is a fault: a misspelt setting would not be noticed.</summary>
    /// <exception cref="GeoConfigurationException">A key is not known, or its value is not what the setting takes.</exception>
    public static void BindKnown(this IConfigurationSection section, object options) =>
        Known(section.Path, binder => section.Bind(options, binder));

    /// <summary>Makes options from a section, as <see cref="BindKnown"/> sets them.</summary>
    /// <returns>Null where there is no such section.</returns>
    /// <exception cref="GeoConfigurationException">A key is not known, or its value is not what the setting takes.</exception>
    public static TOptions? GetKnown<TOptions>(this IConfigurationSection section)
        where TOptions : class
    {
        TOptions? options = null;
        Known(section.Path, binder => options = section.Get<TOptions>(binder));
        return options;
    }

    private static void Known(string path, Action<Action<BinderOptions>> bind)
    {
        try
        {
            bind(binder => binder.ErrorOnUnknownConfiguration = true);
        }
        catch (InvalidOperationException e)
        {
            // The binder's words on an unknown key are about its own option, and name the key at their end.
            var what = e.Message.StartsWith($"'{nameof(BinderOptions.ErrorOnUnknownConfiguration)}'", StringComparison.Ordinal)
                ? $"there is no setting {e.Message[(e.Message.LastIndexOf(": ", StringComparison.Ordinal) + 2)..].ReplaceLineEndings(" ")}."
                : e.Message;
            throw OptionsCheck.Wrong($"The settings in '{path}'", what, e);
        }
    }
}
