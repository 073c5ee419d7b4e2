using System.Reflection;
using System.Text.Json.Serialization.Metadata;

namespace Geo.Embedded;

/// <summary>
/// Makes JSON honour <see cref="IdAttribute"/> as Orleans does: a marked property whose setter is not public can be read back, and a
/// marked field that is not public is written. Without this such members would come back empty, silently.
/// </summary>
internal static class MarkedMembers
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    public static void Include(JsonTypeInfo type)
    {
        if (type.Kind != JsonTypeInfoKind.Object)
        {
            return;
        }

        var known = type.Properties.ToDictionary(p => p.Name, StringComparer.Ordinal);
        for (var declaring = type.Type; declaring is not null && declaring != typeof(object); declaring = declaring.BaseType)
        {
            foreach (var member in declaring.GetMembers(Declared))
            {
                if (member.IsDefined(typeof(IdAttribute), inherit: false))
                {
                    Include(type, known, member);
                }
            }
        }
    }

    private static void Include(JsonTypeInfo type, Dictionary<string, JsonPropertyInfo> known, MemberInfo member)
    {
        var property = member as PropertyInfo;
        var field = member as FieldInfo;
        if (property is null && field is null)
        {
            return;
        }

        if (!known.TryGetValue(member.Name, out var info))
        {
            info = type.CreateJsonPropertyInfo(property?.PropertyType ?? field!.FieldType, member.Name);
            type.Properties.Add(info);
            known.Add(member.Name, info);
        }

        info.Get ??= property is { CanRead: true } ? property.GetValue : field is not null ? field.GetValue : null;
        info.Set ??= property is { CanWrite: true } ? property.SetValue : field is { IsInitOnly: false } ? field.SetValue : null;
    }
}
